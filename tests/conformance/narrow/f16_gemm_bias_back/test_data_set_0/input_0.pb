
BaJ°X°X°X°X°X°X°X°X
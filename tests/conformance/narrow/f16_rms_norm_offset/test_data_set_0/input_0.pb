
BxJ ØcÒcÔcÔcÔcÎcÐcØcÐcÖcÖcÐcÌcÔcÐcÊc
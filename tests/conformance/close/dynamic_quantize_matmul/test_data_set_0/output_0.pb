ByJP±Ñ^Ã-<òC€‹A„x]C%MB2Ú5Ä~ê´CZH’C9¸BôA‰£2Âýo~DLb¦Â!$YC* >Ÿž
ÄC’.D¿?CŸ‹ÅBâj—Á
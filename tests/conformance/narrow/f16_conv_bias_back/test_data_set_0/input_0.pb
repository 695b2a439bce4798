
BxJ€€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S€S
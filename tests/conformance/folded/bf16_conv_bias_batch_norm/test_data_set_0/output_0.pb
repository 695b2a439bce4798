ByJ€LA
ÀRÁ9A
?ÁÀGÁMÁA ÁAAhÁkÀï@BÀ?³=íÀ/AA…¿„A&ÁB†ÁÓÀ®ÀÎAAÂ=À0B×@A‰ÁoA‚>PÀØAËÁÙ@,>˜AáÁ=Á±¾AmB–ÂƒÂÎ@ûÁBAdÂBABƒA—ÁEA|AB&B
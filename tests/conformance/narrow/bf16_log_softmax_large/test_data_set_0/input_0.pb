BxJx_Â
C„Á‰ÂÃDÃÖBsC*ÃB&CC“Ã‘CäÂ%BÅBoBlÃƒÂCACÍBÃ©BºB@=ÃÃ…ÁïÁÂGC'CÚÁÊBCBÃmÃC•ÃÁCCáB`BðÂÓAÃSÃCâBNCfB\C-@ÃúA–C@Ã^Ã
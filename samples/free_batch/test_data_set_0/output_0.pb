
BprobabilitiesJ(+”>O><7ֲm>·Ü<Sˆּ=_ל><־ד#;»j=[‚<>צלװ=
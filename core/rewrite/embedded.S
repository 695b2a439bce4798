    .macro book name
    .global fwRules_\name
    .global fwRulesEnd_\name
fwRules_\name:
    .incbin "resources/library/\name\().fw"
fwRulesEnd_\name:
    .byte 0
    .endm

    .section .rodata
    book recognise
    book simplify
    book scales
    book views
    book combine
    book attention
    book melted
    .section .note.GNU-stack,"",@progbits

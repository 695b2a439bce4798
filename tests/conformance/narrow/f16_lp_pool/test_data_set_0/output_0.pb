
ByJ@5b:dcc¡^	b	dÏbç_÷aMbhbÜa@cúakaa™bÅaGcŠeşc™ca\d cbccÑdYcïaAa
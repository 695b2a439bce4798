"""The operator cases of tests/conformance: one operator, one question per case.

`ops` holds cases of small integers whose results any correct engine computes exactly in float32, in whatever order it
adds; they are compared without tolerance. `close` holds those with roots, exponentials and inexact quotients. `narrow`
holds those in f16 and bf16, `data` those that only run with the sizes of their data.
"""
from . import (cases_elementwise, cases_exact, cases_forms, cases_free, cases_integers, cases_matrix, cases_nan,
               cases_narrow, cases_newer, cases_shape, cases_types, cases_windows)
from .build import Sample


class Cases:
    def __init__(self):
        self.folders = {"ops": [], "close": [], "data": []}
        self._names = set()

    def add(self, name, nodes, inputs, weights=None, folder="ops", **options):
        """`inputs`: {name: array}, or a list of them for several data sets."""
        if name in self._names:
            raise ValueError(f"two cases are called {name}")
        self._names.add(name)
        sets = inputs if isinstance(inputs, list) else [inputs]
        nodes = nodes if isinstance(nodes, list) else [nodes]
        try:
            self.folders[folder].append(Sample(name, nodes, sets, weights, **options))
        except Exception as error:
            raise ValueError(f"case {name}: {error}") from error

    def close(self, name, nodes, inputs, weights=None, **options):
        self.add(name, nodes, inputs, weights, folder="close", **options)


def all_cases():
    cases = Cases()
    for part in (cases_elementwise, cases_exact, cases_forms, cases_free, cases_integers, cases_matrix, cases_nan, cases_newer,
                 cases_shape, cases_types, cases_windows):
        part.add_to(cases)
    narrow = cases_narrow.all_narrow()
    return {**cases.folders, "narrow": [case for case in narrow if not case.summed],
            "folded": [case for case in narrow if case.summed]}

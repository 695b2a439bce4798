"""Operator cases."""


def all_cases():
    return {}

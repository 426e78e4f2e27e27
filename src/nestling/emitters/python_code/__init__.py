"""Statements as a readable Python module on pymongo alone: a function for each, nothing of nestling."""

from nestling.emitters.python_code.module import CodeStatement, CompiledCode, lacking, module

__all__ = ["CodeStatement", "CompiledCode", "lacking", "module"]

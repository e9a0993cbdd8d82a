from .leave_one_out import leave_one_out as leave_one_out

__all__ = ["leave_one_out"]

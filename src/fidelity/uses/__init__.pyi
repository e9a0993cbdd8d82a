from .base import USES as USES
from .base import Use as Use
from .base import UseKind as UseKind
from .base import as_normal as as_normal
from .cards import Row as Row
from .cards import card as card
from .joint import judged_together as judged_together

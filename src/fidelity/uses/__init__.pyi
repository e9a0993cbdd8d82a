from .base import USES as USES
from .base import Use as Use
from .base import UseKind as UseKind
from .cards import Row as Row
from .cards import card as card
from .ends import as_normal as as_normal
from .joint import judged_together as judged_together

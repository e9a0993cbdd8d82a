"""The front door: the workflow itself is in workflow/Snakefile."""


include: "workflow/Snakefile"


workflow.default_target = "all"

"""Needs the pseudo-discrepancies at the last n, and the scenarios' clusters.

Makes mean scores with error bars, paired differences between simulators, and the ranks that they
leave open. Why two scores: evaluations report the plug-in discrepancy; the upper one bounds the
distance from all people. A second rule finds, from the answers, the parts of the plug-in's variance,
and how large a difference so many scenarios show. All are about new scenarios: of new clusters, if
scenarios come in clusters.
"""


rule error_bars:
    """Put error bars on mean scores and on their differences."""
    input:
        scenarios=ingested["scenarios"],
        pseudo_discrepancy=last_of("pseudo_discrepancy"),
    output:
        **files_of("error_bars"),
    log:
        "<logs>/{dataset}/error_bars.log",
    benchmark:
        "<benchmarks>/{dataset}/error_bars.tsv"
    params:
        step=step("error_bars"),
    script:
        "../../scripts/step.py"


rule variance:
    """Tell the variance between scenarios from that of a simulator's answers."""
    input:
        scenarios=ingested["scenarios"],
        human=last_of("bootstrap"),
        outcomes=answers_of("outcomes"),
        simulated=rules.bootstrap_simulators.output[0],
    output:
        **files_of("variance"),
    log:
        "<logs>/{dataset}/variance.log",
    benchmark:
        "<benchmarks>/{dataset}/variance.tsv"
    params:
        step=step("variance"),
    script:
        "../../scripts/step.py"

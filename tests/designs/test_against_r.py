"""The estimators give the numbers of R's package survey on surveys that are drawn here.

EXPECTED is what survey.R printed with survey 4.1-1 and R 4.2.2: share of each option, upper
triangle of their covariance by columns, degrees of freedom. Those named ``mean`` are used in
test_design_means.py. Where R has the package, it runs again.
"""

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from surveyed import OPTIONS, people, with_replicates

from fidelity.binomial import proportion_interval
from fidelity.designs import korn_graubard_ratio, linearised_mean, replicate_mean

EXPECTED = """
strata all 0.363101996835 0.33780785938 0.299090143786 0.00312486283724 -0.000893538835646
  0.00156454797324 -0.0022313240016 -0.000671009137592 0.00290233313919 8
plain all 0.363101996835 0.33780785938 0.299090143786 0.000767233717536 -0.000389611994179
  0.000751217503663 -0.000377621723357 -0.000361605509484 0.000739227232841 383
certainty all 0.355709558455 0.341758771295 0.302531670251 0.0032993951891 -0.000937414510957
  0.00166488898445 -0.00236198067814 -0.000727474473491 0.00308945515164 7
average all 0.355709558455 0.341758771295 0.302531670251 0.00377073735897 -0.00107133086967
  0.00190273026794 -0.00269940648931 -0.000831399398275 0.00353080588758 7
adjust all 0.355709558455 0.341758771295 0.302531670251 0.00330042977762 -0.00093870616174
  0.00166650156927 -0.00236172361588 -0.000727795407533 0.00308951902341 7
brr all 0.363101996835 0.33780785938 0.299090143786 0.00312745922624 -0.000892061743723
  0.00156425702478 -0.00223539748252 -0.000672195281054 0.00290759276357 8
fay all 0.363101996835 0.33780785938 0.299090143786 0.00638256984947 -0.00182053417086
  0.00319236127506 -0.00456203567861 -0.00137182710419 0.0059338627828 8
jk1 all 0.363101996835 0.33780785938 0.299090143786 0.0469118883936 -0.0133809261558
  0.0234638553717 -0.0335309622378 -0.0100829292158 0.0436138914536 8
jkn all 0.363101996835 0.33780785938 0.299090143786 0.0187420942875 -0.00508670968092
  0.0109126819269 -0.0136553846066 -0.00582597224594 0.0194813568525 8
bootstrap all 0.363101996835 0.33780785938 0.299090143786 0.00333595650799 -0.000951532526638
  0.00166854082643 -0.00238442398135 -0.000717008299791 0.00310143228114 8
strata group 0.3307383751 0.375141511412 0.294120113489 0.00208348459705 -0.00198419398484
  0.00909339896456 -9.92906122133e-05 -0.00710920497972 0.00720849559193 8
plain group 0.3307383751 0.375141511412 0.294120113489 0.00405131444701 -0.00227403080303
  0.00445448461606 -0.00177728364398 -0.00218045381303 0.00395773745702 70
certainty group 0.333030757214 0.370810552166 0.296158690619 0.00197391774401 -0.00192610483696
  0.00917605569362 -4.78129070478e-05 -0.00724995085666 0.0072977637637 7
average group 0.333030757214 0.370810552166 0.296158690619 0.00225590599315 -0.00220126267081
  0.0104869207927 -5.46433223403e-05 -0.00828565812189 0.00834030144423 7
adjust group 0.333030757214 0.370810552166 0.296158690619 0.00205866635441 -0.00195136446392
  0.00918358441593 -0.000107301890492 -0.00723221995201 0.0073395218425 7
brr group 0.3307383751 0.375141511412 0.294120113489 0.00212547315701 -0.00195561736746
  0.00970582352166 -0.000169855789547 -0.0077502061542 0.00792006194375 8
fay group 0.3307383751 0.375141511412 0.294120113489 0.00433770032042 -0.00399105585196
  0.0198078031054 -0.000346644468463 -0.0158167472535 0.0161633917219 8
jk1 group 0.3307383751 0.375141511412 0.294120113489 0.0318820973551 -0.0293342605119
  0.145587352825 -0.0025478368432 -0.116253092313 0.118800929156 8
jkn group 0.3307383751 0.375141511412 0.294120113489 0.0132031957075 -0.012966264044
  0.0663365621512 -0.000236931663495 -0.0533702981072 0.0536072297707 8
bootstrap group 0.3307383751 0.375141511412 0.294120113489 0.00226717136747 -0.00208599185862
  0.0103528784231 -0.00018117950885 -0.00826688656448 0.00844806607333 8
certainty part 0.328571580413 0.34852559265 0.322902826937 0.0163869879718 -0.00579424924607
  0.0025529629306 -0.0105927387257 0.00324128631547 0.00735145241024 2
average part 0.328571580413 0.34852559265 0.322902826937 0.0245804819577 -0.0086913738691
  0.0038294443959 -0.0158891080886 0.0048619294732 0.0110271786154 2
adjust part 0.328571580413 0.34852559265 0.322902826937 0.0164103498201 -0.00581257021593
  0.0025673307123 -0.0105977796042 0.00324523950363 0.00735254010053 2
certainty rest 0.323302084661 0.352658068454 0.324039846885 0.0194987555826 -0.00690074345292
  0.00304286406964 -0.0125980121297 0.00385787938327 0.00874013274645 2
average rest 0.323302084661 0.352658068454 0.324039846885 0.0194987555826 -0.00690074345292
  0.00304286406964 -0.0125980121297 0.00385787938327 0.00874013274645 2
adjust rest 0.323302084661 0.352658068454 0.324039846885 0.0194987555826 -0.00690074345292
  0.00304286406964 -0.0125980121297 0.00385787938327 0.00874013274645 2
limits 0.180575197862 0.441219127365
mean strata all -0.0679920672431 0.0789602115108
mean strata group -0.0407960304105 0.1125687175281
mean psus all -0.0679920672431 0.0678266283616
mean plain all -0.0679920672431 0.0305595337129
mean certainty all -0.0565834968552 0.0810969544914
mean average all -0.0565834968552 0.0866962910907
mean adjust all -0.0565834968552 0.0811351726073
mean brr all -0.0679920672431 0.0785626430024
mean brr group -0.0407960304105 0.1111815257097
mean fay all -0.0679920672431 0.1122323471463
mean bootstrap all -0.0679920672431 0.0762653044638
scale of bootstrap 2
scale of subbootstrap 1
"""
TABLE = people()
REPLICATES = with_replicates(TABLE).filter(regex="^rep").to_numpy()
STRATA = {"part": ["s0", "s1", "s2"], "rest": ["s1", "s2"]}
METHODS = {
    "brr": {},
    "fay": {"fay": 0.3},
    "jk1": {},
    "jkn": {"rscales": np.arange(1, 17) / 20},
    "bootstrap": {},
}


def numbers(text: str) -> dict[str, np.ndarray]:
    """Return what was printed by its name."""
    lines = re.sub(r"\n  ", " ", text).split("\n")
    found = [re.match(r"(\D+?) +(?=[-\d])(.*)", line) for line in lines]
    return {each[1]: np.array(each[2].split(), float) for each in found if each}


SHARES = [name for name in numbers(EXPECTED) if name.split()[0] not in ("limits", "mean", "scale")]


def estimated(name: str) -> np.ndarray:
    """Return our numbers for a design and a domain."""
    how, _, domain = name.partition(" ")
    lonely = how in ("certainty", "average", "adjust")
    used = ~((TABLE["stratum"] == "s0") & (TABLE["psu"] == 1)) if lonely else TABLE["w"] > 0
    table = TABLE[used]
    inside = table["trust"].notna().to_numpy()
    if domain == "group":
        inside = inside & (table["sex"] == "female") & (table["age"] == "18-34")
    if domain in STRATA:
        inside = inside & table["stratum"].isin(STRATA[domain])
    values = table["trust"].to_numpy()[:, np.newaxis] == OPTIONS
    if how in METHODS:
        own = {"method": how, **METHODS[how]}
        found = replicate_mean(values, table["w"], REPLICATES, domain=inside, **own)
    else:
        design = {} if how == "plain" else {"strata": table["stratum"], "psu": table["psu"]}
        rule = {"lonely_psu": how} if lonely else {}
        found = linearised_mean(values, table["w"], domain=inside, **design, **rule)
    upper = found.covariance.T[np.tril_indices(3)]
    return np.array([*found.estimate, *upper, found.df])


@pytest.mark.parametrize("name", SHARES)
def test_shares_covariances_and_degrees_of_freedom_are_those_of_r(name):
    np.testing.assert_allclose(estimated(name), numbers(EXPECTED)[name], rtol=1e-9)


def test_limits_of_a_share_are_those_of_r_where_the_size_is_below_the_number_of_people():
    share, variance, df = estimated("strata all")[[2, 8, 9]]
    n = int(TABLE["trust"].notna().sum())
    size = share * (1 - share) / variance * korn_graubard_ratio(n, df, 0.95)
    limits = proportion_interval(share, size)
    np.testing.assert_allclose(limits, numbers(EXPECTED)["limits"], rtol=1e-9)


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("Rscript"), reason="there is no R")
def test_r_still_gives_these_numbers(tmp_path):
    TABLE.to_csv(tmp_path / "people.csv", index=False)
    with_replicates(TABLE).to_csv(tmp_path / "replicates.csv", index=False)
    command = ["Rscript", str(Path(__file__).with_name("survey.R"))]
    files = [str(tmp_path / name) for name in ("people.csv", "replicates.csv")]
    made = subprocess.run(command + files, capture_output=True, text=True)
    if made.returncode:
        pytest.skip("R lacks survey")
    found, expected = numbers(made.stdout), numbers(EXPECTED)
    assert found.keys() == expected.keys()
    for name, each in found.items():
        np.testing.assert_allclose(each, expected[name], rtol=1e-9)


def test_brr_of_the_ratio_that_the_package_documents():
    """Levy and Lemeshow's ambulances, six rows in ?svrepdesign; mse=TRUE."""
    arrests = np.array([120.0, 78, 185, 228, 670, 530])
    alive = np.array([25.0, 24, 30, 49, 80, 70])
    halves = 2 * np.array(
        [[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 0, 1], [0, 1, 1, 0]]
    )
    found = replicate_mean(
        (alive / arrests)[:, np.newaxis], arrests, arrests[:, np.newaxis] * halves, method="brr"
    )
    assert found.estimate[0] == pytest.approx(0.1535063501, abs=1e-10)
    assert np.sqrt(found.covariance[0, 0]) == pytest.approx(0.009426635733, abs=1e-12)
    assert found.df == 3

"""A cheap first look: does a line hold a word without which no pattern of ours can match?"""

STEMS = (
    b"|nown|nvalid|died|dead|xit|SIG|egmentation|Xid|MATCH|ismatch|must |not |No |eed|upported|efused|"
    b"ancel|ost|vict|reempt|PREEMPT|TIME LIMIT|aylet|nsufficient|nodes|Back-off|estarted|toomany|limit|EOF|"
    b"denied|quota|ressure|in use|allocat|larger|less than|llegal|ymbol|submod_|corrupt|tale|fatal|ninja|"
    b"nvcc|compil|only |divisible|ordinal|ready|stuck|too old|sigquit|requires|resolv|solution|onflict|"
    b"hardware|ERR|STATUS_|PTXAS|handshake|wheel|unsatisf|metrics:|Decode|throughput|POST /|version|engine|"
    b"args|specul|spec_|roll!|startup|HASHES|mprint|nccl|NCCL|xpanded|shape|nvidia|agent"
).split(b"|")


def hot(raw: bytes) -> bool:
    """True when the line has to be looked at."""
    return any(map(raw.__contains__, STEMS))

"""The table of times: how much longer the held runs took."""

import statistics


def quartiles(values):
    if len(values) < 2:
        return values[0], values[0]
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, high


def row(name, pairs):
    """A job's times in milliseconds, and the differences in %. `pairs` has an unheld and a held outcome for each round."""
    unheld = statistics.median(one.wall for one, _ in pairs) * 1000
    held = statistics.median(other.wall for _, other in pairs) * 1000
    low, high = quartiles([100 * (other.wall / one.wall - 1) for one, other in pairs])
    cpu = [statistics.median(times) for times in zip(*((one.cpu, other.cpu) for one, other in pairs))]
    return {
        "job": name, "rounds": len(pairs), "unheld_ms": round(unheld, 1), "held_ms": round(held, 1),
        "difference_percent": round(100 * (held / unheld - 1), 1), "quartiles_percent": [round(low, 1), round(high, 1)],
        "unheld_cpu_ms": round(cpu[0] * 1000, 1), "held_cpu_ms": round(cpu[1] * 1000, 1),
        "cpu_difference_percent": round(100 * (cpu[1] / cpu[0] - 1), 1) if cpu[0] else None,
    }


def table(rows):
    lines = [["job", "calls", "rounds", "unheld ms", "held ms", "difference", "quartiles", "CPU", "a call, ms"]]
    for row in rows:
        low, high = row["quartiles_percent"]
        cpu = row["cpu_difference_percent"]
        lines.append([
            row["job"], str(row["calls"]), str(row["rounds"]), f"{row['unheld_ms']:.0f}", f"{row['held_ms']:.0f}", f"{row['difference_percent']:+.1f} %",
            f"{low:+.1f} to {high:+.1f}", "" if cpu is None else f"{cpu:+.1f} %", f"{(row['held_ms'] - row['unheld_ms']) / row['calls']:+.1f}",
        ])
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join(" | ".join(cell.ljust(width) if at == 0 else cell.rjust(width) for at, (cell, width) in enumerate(zip(line, widths))) for line in lines)

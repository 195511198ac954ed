#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""One iteration of Algorithm 1, by independent code in double precision, for src/adasample/train/golden_step_test.cpp.

Run by hand, with Debian's python3-torch:  /usr/bin/python3 tests/golden/training_step/make_training_step.py
It writes cases.json beside itself. It shares no code with adasample: generator, permutation, network, losses, mining,
sampling, weights and optimiser are written from docs/method.md.

The store and the weights of the start are formulas of the generator (store_patch, start_weights), which the test
repeats. Of the weights after the step only digests are kept: for each array the sum of squares of its change, and the
dot product of its change with a vector of pseudo-random numbers.

Every case keeps its distance from what single precision could decide otherwise: draws, mined negatives and hinges lie
at least as far from a tie as `roomy` asks for. A case that does not is an error here, not a surprise there.
"""
import json
import math
import os

import numpy as np
import torch
import torch.nn.functional as F

torch.set_num_threads(2)
DOUBLE = torch.float64
M64 = (1 << 64) - 1

# --- Random numbers (docs/method.md, Randomness): each word of a name is absorbed by one round --------------------------
CLASSES, SUBSET, FLIP, ANCHOR, POSITIVE, INIT, SCENE = 1, 2, 3, 4, 5, 7, 8


def mix64(x):
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & M64
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & M64
    return x ^ (x >> 31)


def absorb(state, word):
    return mix64(((state + 0x9E3779B97F4A7C15) & M64) ^ ((word * 0xD1342543DE82EF95) & M64))


def bits(seed, purpose, *words):
    state = absorb(mix64(seed), purpose)
    for word in words:
        state = absorb(state, word)
    return state


def uniform(seed, purpose, *words):
    return (bits(seed, purpose, *words) >> 11) * 2.0**-53


def uniforms(count, seed, purpose, *words):
    """uniform(seed, purpose, *words, i) for i < count."""
    with np.errstate(over="ignore"):
        golden, odd = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1342543DE82EF95)
        x = (np.uint64(bits(seed, purpose, *words)) + golden) ^ (np.arange(count, dtype=np.uint64) * odd)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        x = x ^ (x >> np.uint64(31))
    return (x >> np.uint64(11)).astype(np.float64) * 2.0**-53


def permuted(x, n, state):
    """The image of x under the keyed Feistel permutation of [0, n): sixteen rounds on a grid, cycle walking."""
    a = math.isqrt(n)
    a += a * a < n
    b = -(-n // a)
    while True:
        left, right = divmod(x, b)
        for turn in range(0, 16, 2):
            left = (left + absorb(absorb(state, turn), right) % a) % a
            right = (right + absorb(absorb(state, turn + 1), left) % b) % b
        x = left * b + right
        if x < n:
            return x


# --- Store and weights of the start: formulas that the test repeats -----------------------------------------------------
CLASS_SIZES = [5, 3, 7, 2, 4, 5, 6, 3, 2, 5, 4, 6, 3, 5]
SIDE = 32


def store_patch(c, view):
    """Blocks of 4x4 pixels, the same for a class, mixed with blocks of 2x2, the view's own: more of them view by view."""
    share = 5 + 6 * view  # of 64
    patch = np.zeros((SIDE, SIDE), dtype=np.uint8)
    for y in range(SIDE):
        for x in range(SIDE):
            coarse = bits(1, SCENE, c, y // 4 * 8 + x // 4) >> 56
            fine = bits(2, SCENE, c, view, y // 2 * 16 + x // 2) >> 56
            patch[y, x] = (coarse * (64 - share) + fine * share) >> 6
    return patch


LAYERS = [  # in, out, kernel, stride, padding, relu, number of the convolution in HardNet's sequence
    (1, 32, 3, 1, 1, True, 0), (32, 32, 3, 1, 1, True, 3), (32, 64, 3, 2, 1, True, 6), (64, 64, 3, 1, 1, True, 9),
    (64, 128, 3, 2, 1, True, 12), (128, 128, 3, 1, 1, True, 15), (128, 128, 8, 1, 0, False, 19)]


def as_float(values):  # the program holds single precision
    return torch.from_numpy(values.astype(np.float32).astype(np.float64))


def start_weights():
    """Per layer: weights, uniform of variance 2 / fan-in; running means in +-0.2; running variances in 0.5 .. 1.5."""
    weights, means, variances = [], [], []
    for l, (inp, out, kernel, *_rest) in enumerate(LAYERS):
        fan_in = inp * kernel * kernel
        weights.append(as_float(math.sqrt(6 / fan_in) * (2 * uniforms(out * fan_in, 3, INIT, l) - 1)).view(out, inp, kernel, kernel))
        means.append(as_float(0.4 * uniforms(out, 4, INIT, l) - 0.2))
        variances.append(as_float(0.5 + uniforms(out, 5, INIT, l)))
    return weights, means, variances


# --- Network ------------------------------------------------------------------------------------------------------------
def normalised_patches(patches):
    x = torch.from_numpy(np.ascontiguousarray(patches, dtype=np.float64)).view(-1, SIDE * SIDE)
    deviation = ((x - x.mean(1, keepdim=True)) ** 2).sum(1, keepdim=True).div(SIDE * SIDE - 1).sqrt()
    return ((x - x.mean(1, keepdim=True)) / (deviation + 1e-7)).view(-1, 1, SIDE, SIDE)


def describe(patches, state, training):
    """Unit rows. In training mode the batch's statistics serve, and move the running ones by a tenth."""
    x = normalised_patches(patches)
    for l, (_in, _out, _kernel, stride, padding, relu, _number) in enumerate(LAYERS):
        x = F.conv2d(x, state["weights"][l], stride=stride, padding=padding)
        if training:
            mean, count = x.mean((0, 2, 3)), x.numel() // x.shape[1]
            variance = ((x - mean.view(1, -1, 1, 1)) ** 2).mean((0, 2, 3))
            state["means"][l] = 0.9 * state["means"][l] + 0.1 * mean.detach()
            state["variances"][l] = 0.9 * state["variances"][l] + 0.1 * variance.detach() * count / (count - 1)
        else:
            mean, variance = state["means"][l], state["variances"][l]
        x = (x - mean.view(1, -1, 1, 1)) / (variance.view(1, -1, 1, 1) + 1e-5).sqrt()
        x = x.clamp(min=0) if relu else x
    x = x.flatten(1)
    return x / ((x**2).sum(1, keepdim=True) + 1e-10).sqrt()


def roomy(gap, least, what):
    if not gap > least:
        raise ValueError(f"{what}: {gap:.2g} from a tie, single precision might see it otherwise; take another seed")


# --- Batch and draw -----------------------------------------------------------------------------------------------------
def flipped(patch, code):
    """Transpose (bit 2), mirror (bit 3), then quarter turns (bits 0 and 1)."""
    patch = patch.T if code & 4 else patch
    patch = np.fliplr(patch) if code & 8 else patch
    return np.rot90(patch, -(code & 3))


def load_batch(case, t, store):
    """n classes in the order of the draw; of each its name and its patches, k at most."""
    seed, batch = case["seed"], []
    for j in range(case["batch"]):
        c = permuted(j, len(store), bits(seed, CLASSES, t))
        size = len(store[c])
        members = list(range(size))
        if size > case["k"]:
            members = [permuted(i, size, bits(seed, SUBSET, t, c)) for i in range(case["k"])]
        code = bits(seed, FLIP, t, c) >> 60 if case["flips"] else 0
        batch.append((c, np.stack([flipped(store[c][m], code) for m in members])))
    return batch


def distance(x, y, loss):
    """Of rows: angles for aht, Euclidean for ht and hardnet."""
    if loss == "aht":
        return torch.acos((x * y).sum(-1).clamp(-1, 1))
    return ((x - y) ** 2).sum(-1).sqrt()


def exponent_of(case, average, ramp):
    if case["sampler"] == "random":
        return 0.0
    if case["sampler"] == "hardest" or math.isinf(case["lambda"]):
        return math.inf if ramp > 0 else 0.0
    if case["alpha"] is not None:
        return ramp * (2 * case["alpha"] - 1)
    return ramp * case["lambda"] / average


known = {}  # descriptors of patches by the weights of the start, which every case begins with


def describe_for_draw(patches, state, t):
    if t > 0:
        return describe(patches, state, training=False)
    for patch in patches:
        if patch.tobytes() not in known:
            known[patch.tobytes()] = describe(patch[None], state, training=False)[0]
    return torch.stack([known[patch.tobytes()] for patch in patches])


def draw_pairs(case, t, batch, state, exponent):
    """Of each class the anchor, the positive, the distances d and probabilities p of its candidates."""
    drawn = []
    for c, patches in batch:
        count = len(patches)
        x = describe_for_draw(patches, state, t)
        anchor = int(uniform(case["seed"], ANCHOR, t, c) * count)
        candidates = [i for i in range(count) if i != anchor]
        d = np.array([distance(x[i], x[anchor], case["loss"]).item() for i in candidates])
        if math.isinf(exponent):
            q = (d == d.max()).astype(float)
            if len(d) > 1:
                roomy(np.diff(np.sort(d))[-1], 1e-4, f"the farthest of class {c}")
        else:
            q = d**exponent
        p = q / q.sum()
        u = uniform(case["seed"], POSITIVE, t, c)
        cumulative = np.cumsum(p)
        chosen = int(np.argmax(cumulative > u))
        roomy(min([abs(b - u) for b in cumulative[:-1]] + [1]), 1e-3, f"the draw of class {c}")
        drawn.append(dict(cls=c, anchor=anchor, positive=candidates[chosen], chosen=chosen, d=d, p=p))
    return drawn


def entropy_of(drawn):
    shares = []
    for pair in drawn:
        p = pair["p"][pair["p"] > 0]
        shares.append(1.0 if len(pair["p"]) == 1 else float(-(p * np.log(p)).sum() / math.log(len(pair["p"]))))
    return float(np.mean(shares))


def weights_of(case, drawn, exponent):
    d = np.array([pair["d"][pair["chosen"]] for pair in drawn])
    floored = np.maximum(d, 1e-2)
    if case["weights"] == "none":
        return np.ones(len(d))
    if case["weights"] == "distance":
        raw = 1 / floored
        return raw / raw.mean()
    if case["weights"] == "class":  # over the class's own mean, p being its probabilities
        own = np.array([(pair["p"] / np.maximum(pair["d"], 1e-2)).sum() for pair in drawn])
        return 1 / floored / own
    assert case["weights"] == "eq9"  # (Z / m) / d, Z the sum of d^e over the m candidates; over its mean, then clipped
    if math.isinf(exponent):
        farthest = max(pair["d"].max() for pair in drawn)
        raw = np.array([np.mean(pair["d"] == farthest) for pair in drawn]) / floored
    else:
        log_z = np.array([math.log(np.mean((pair["d"] / pair["d"].max()) ** exponent)) + exponent * math.log(pair["d"].max())
                          for pair in drawn])
        log_raw = log_z - np.log(floored)
        raw = np.exp(log_raw - log_raw.max())
    return np.minimum(raw / raw.mean(), 10)


# --- Losses -------------------------------------------------------------------------------------------------------------
def candidate_rows(n, negatives):
    """For each row the pairs of the stacked rows [a; p] that may be its negative."""
    rows = []
    for i in range(n):
        pairs = []
        for j in range(n):
            if j != i and negatives in ("eq14", "all"):
                pairs += [(i, j), (n + i, n + j)]
            if j != i and negatives in ("cross", "all"):
                pairs += [(i, n + j), (j, n + i)]
        rows.append(pairs)
    return rows


def losses(case, a, p, quantile):
    """(L_i, d_pos, d_neg) of the batch. Mining takes the closest candidate, or the one at a quantile of closeness."""
    n, hardnet = len(a), case["loss"] == "hardnet"
    stacked = torch.cat([a, p])

    def measured(x, y):
        if hardnet:
            return ((x**2).sum() + (y**2).sum() - 2 * (x * y).sum() + 1e-6).sqrt() + 1e-8
        return distance(x, y, case["loss"])

    total, positive, negative = [], [], []
    for i, pairs in enumerate(candidate_rows(n, "cross" if hardnet else case["negatives"])):
        all_d = [measured(stacked[g], stacked[h]) for g, h in pairs]
        farthest_first = sorted(range(len(pairs)), key=lambda at: -all_d[at].item())
        # Python rounds halves to even numbers, as Torch does.
        rank = len(pairs) - 1 if quantile is None else round(quantile * (len(pairs) - 1))
        d_neg, d_pos = all_d[farthest_first[rank]], measured(a[i], p[i])
        for other in (rank - 1, rank + 1):
            if 0 <= other < len(pairs):
                roomy(abs(all_d[farthest_first[other]].item() - d_neg.item()), 2e-5, f"the negative of row {i}")
        hinge = case["margin"] + (d_pos - d_neg if hardnet else d_pos**2 - d_neg**2)
        roomy(abs(hinge.item()), 1e-3, f"the hinge of row {i}")
        total.append(hinge.clamp(min=0))
        positive.append(d_pos.item())
        negative.append(d_neg.item())
    return torch.stack(total), positive, negative


# --- One run ------------------------------------------------------------------------------------------------------------
def warm_up(case, t):
    """(quantile or None, ramp of the exponent)"""
    first, second = (round(case[key] * case["iterations"]) for key in ("warmup_quantile_share", "warmup_exponent_share"))
    if t < first:
        return 0.5 + 0.5 * t / first, 0.0
    return None, (t - first) / second if t < first + second else 1.0


def run(case, store):
    weights, means, variances = start_weights()
    state = dict(weights=[w.clone().requires_grad_() for w in weights], means=list(means), variances=list(variances))
    momentum, average, lines = [None] * len(LAYERS), case["margin"], []
    for t in range(case["iterations"]):
        quantile, ramp = warm_up(case, t)
        exponent = exponent_of(case, average, ramp)
        batch = load_batch(case, t, store)
        with torch.no_grad():
            drawn = draw_pairs(case, t, batch, state, exponent)
        w = weights_of(case, drawn, exponent)
        anchors = np.stack([patches[pair["anchor"]] for (_, patches), pair in zip(batch, drawn)])
        positives = np.stack([patches[pair["positive"]] for (_, patches), pair in zip(batch, drawn)])
        n = len(batch)
        if case["separate_batch_norm"]:
            a, p = describe(anchors, state, True), describe(positives, state, True)
        else:
            rows = describe(np.concatenate([anchors, positives]), state, True)
            a, p = rows[:n], rows[n:]
        each, d_pos, d_neg = losses(case, a, p, quantile)
        gradients = torch.autograd.grad((torch.from_numpy(w) * each).mean(), state["weights"])
        rate = case["learning_rate"] * (1 - t / case["iterations"])  # linear
        with torch.no_grad():
            for l, gradient in enumerate(gradients):
                g = gradient + case["weight_decay"] * state["weights"][l]
                kept = 1 - case["dampening"]
                momentum[l] = g if momentum[l] is None else case["momentum"] * momentum[l] + kept * g
                state["weights"][l] = (state["weights"][l] - rate * momentum[l]).requires_grad_()
        mean_loss = each.detach().mean().item()
        average = max(1e-3, case["average_decay"] * average + (1 - case["average_decay"]) * mean_loss)
        lines.append(dict(
            loss=mean_loss, l_avg=average, exponent=None if math.isinf(exponent) else exponent, d_pos=float(np.mean(d_pos)),
            d_neg=float(np.mean(d_neg)), active=float((each > 0).double().mean()), entropy=entropy_of(drawn),
            lr=rate, w=[round(float(x), 9) for x in w],
            draws=[dict({"class": pair["cls"]}, anchor=pair["anchor"], positive=pair["positive"],
                        d=[round(float(x), 7) for x in pair["d"]], p=[round(float(x), 7) for x in pair["p"]]) for pair in drawn]))
    return lines, digests(weights, means, variances, state)


def digests(weights, means, variances, state):
    result = {}
    for l, layer in enumerate(LAYERS):
        number = layer[-1]
        for part, (name, before, after) in enumerate((
                (f"features.{number}.weight", weights[l], state["weights"][l]),
                (f"features.{number + 1}.running_mean", means[l], state["means"][l]),
                (f"features.{number + 1}.running_var", variances[l], state["variances"][l]))):
            change = (after.detach() - before).flatten()
            along = torch.from_numpy(2 * uniforms(len(change), 6, INIT, l, part) - 1)
            result[name] = [float(f"{(change**2).sum().item():.9g}"), float(f"{(change * along).sum().item():.9g}")]
    return result


USUAL = dict(sampler="adasample", alpha=None, weights="distance", loss="aht", negatives="eq14", seed=11, batch=14, k=5,
             flips=False, separate_batch_norm=False, margin=1.0, learning_rate=0.5, momentum=0.5, dampening=0.0,
             weight_decay=0.01, average_decay=0.9, warmup_quantile_share=0.0, warmup_exponent_share=0.0, iterations=1)
USUAL["lambda"] = 10.0


def cases():
    yield "negatives-all", dict(negatives="all")
    yield "negatives-cross", dict(negatives="cross", loss="ht")
    yield "separate-batch-norm", dict(separate_batch_norm=True)
    yield "flips", dict(flips=True)
    yield "fewer-classes", dict(batch=6, k=3)
    yield "another-margin", dict(margin=0.6)
    yield "warm-up-negatives", dict(warmup_quantile_share=1.0)
    yield "warm-up-negatives-hardnet", dict(warmup_quantile_share=1.0, loss="hardnet", weights="none")
    yield "warm-up-exponent", dict(warmup_exponent_share=1.0, iterations=2, learning_rate=0.1)
    yield "two-iterations", dict(iterations=2, learning_rate=0.1, dampening=0.3)
    samplers = {"random": dict(sampler="random"), "lambda10": dict(), "alpha2": dict(alpha=2.0), "hardest": dict(sampler="hardest")}
    for loss in ("aht", "ht", "hardnet"):
        for sampler, choice in samplers.items():
            for weights in ("none", "distance", "eq9", "class"):
                yield f"{sampler}-{weights}-{loss}", dict(choice, weights=weights, loss=loss)


def main():
    store = [[store_patch(c, view) for view in range(size)] for c, size in enumerate(CLASS_SIZES)]
    written = {}
    for name, changes in cases():
        case = dict(USUAL, **changes)
        for seed in range(11, 60):  # the first seed with room everywhere
            case["seed"] = seed
            try:
                lines, after = run(case, store)
                break
            except ValueError as problem:
                print(f"{name}: seed {seed}: {problem}")
        else:
            raise SystemExit(f"{name}: no seed has room")
        written[name] = dict(options=dict(changes, seed=case["seed"]), iterations=lines, change=after)
        print(name, seed, {k: v for k, v in lines[-1].items() if k not in ("draws", "w")}, "w", min(lines[-1]["w"]), max(lines[-1]["w"]))
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases.json")
    with open(path, "w") as file:
        file.write('{"class_sizes": ' + json.dumps(CLASS_SIZES) + ',\n "usual": ' + json.dumps(USUAL) + ',\n "cases": {\n')
        file.write(",\n".join(f"{json.dumps(name)}: {json.dumps(case, separators=(',', ':'))}" for name, case in written.items()))
        file.write("\n}}\n")


main()

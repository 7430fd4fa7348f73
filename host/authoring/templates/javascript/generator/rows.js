// What a row holds: functions of the seed and the row's position, which `node --test` runs without a host.
//
// The engine makes an object of every `BigInt` on the way, so the arithmetic is that of numbers: 32 bits at a time where bits are stirred, and
// exact up to 2^53 elsewhere.

/** When the first row was, in milliseconds since the Unix epoch: the start of 2026. */
export const START_MS = 1_767_225_600_000;

/** Between two readings of one host, in milliseconds. */
const STEP_MS = 1_000;

const HALF = 2 ** 32;

/** Stirs 32 bits so that each depends on all (the last step of MurmurHash3). */
function mixed(bits) {
  let stirred = (bits + 0x9e3779b9) | 0;
  stirred = Math.imul(stirred ^ (stirred >>> 16), 0x85ebca6b);
  stirred = Math.imul(stirred ^ (stirred >>> 13), 0xc2b2ae35);
  return stirred ^ (stirred >>> 16);
}

/** The dataset: row after row, each host in turn. Positions are numbers. */
export class Readings {
  #hosts;
  #keys;

  /** `seed` is a `BigInt` of 64 bits; `hosts` at least 1. */
  constructor(seed, hosts) {
    this.#hosts = hosts;
    const [low, high] = [Number(BigInt.asUintN(32, seed)), Number(seed >> 32n)];
    // One for each column that has random values.
    this.#keys = [0, 1].map((purpose) => mixed(low ^ mixed(high ^ mixed(purpose))));
  }

  /** Whether there is a row at this position, and so at all before it: not where it or its time is no exact number any more. */
  has(row) {
    return row <= Number.MAX_SAFE_INTEGER && this.time(row) <= Number.MAX_SAFE_INTEGER;
  }

  /** Which host the row is of. */
  host(row) {
    return row % this.#hosts;
  }

  /** The row's time in milliseconds. */
  time(row) {
    return START_MS + Math.floor(row / this.#hosts) * STEP_MS;
  }

  /** From 0 to 100, with two decimals. */
  value(row) {
    return (this.#chance(row, 0) % 10_001) / 100;
  }

  /** From 0 to 999; undefined for one row in ten. */
  count(row) {
    const drawn = this.#chance(row, 1);
    return drawn % 10 === 0 ? undefined : Math.floor(drawn / 10) % 1_000;
  }

  /** 32 bits that look random: the same for the same seed, row and purpose, whatever was asked before. */
  #chance(row, purpose) {
    const key = this.#keys[purpose];
    return mixed((mixed(key ^ row) + key) ^ Math.floor(row / HALF)) >>> 0;
  }
}

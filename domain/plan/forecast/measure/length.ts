/** A length that plays draw from: of measurements where there are some, else around a median. */
import type { Basis, Calibration } from '../types.ts';
import type { Random } from './random.ts';

/** Too few to be drawn from as they are. */
const FEW = 3;
const NARROW = 0.15;
/** What was not measured here varies more. */
const WIDE = 0.3;

export class Length {
  readonly what: string;
  readonly basis: Basis;
  readonly medianMs: number;
  readonly #measured: readonly number[];
  readonly #sigma: number;

  constructor(what: string, of: { basis: Basis; medianMs: number; measured?: readonly number[]; sigma?: number }) {
    this.what = what;
    this.basis = of.basis;
    this.medianMs = of.medianMs;
    this.#measured = of.measured ?? [];
    this.#sigma = of.sigma ?? (of.basis === 'reports' ? WIDE : NARROW);
  }

  /** Of what the snapshot shows; `otherwise`: from reports, where it shows nothing. */
  static measured(what: string, measured: readonly number[], otherwise: number): Length {
    if (measured.length === 0) return new Length(what, { basis: 'reports', medianMs: otherwise });
    const sorted = measured.toSorted((a, b) => a - b);
    return new Length(what, { basis: 'snapshot', medianMs: sorted[Math.ceil(sorted.length / 2) - 1] ?? 0, measured: sorted });
  }

  sample(random: Random): number {
    const measured = this.#measured.length < FEW ? undefined : this.#measured[random.index(this.#measured.length)];
    return Math.round(measured ?? this.medianMs * random.factor(this.#sigma));
  }

  get calibration(): Calibration {
    return { what: this.what, basis: this.basis, medianMs: this.medianMs, count: this.#measured.length };
  }
}

/** Resource quantities and int-or-percent values. */

const SUFFIXES: Record<string, number> = {
  '': 1,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 1024,
  Mi: 1024 ** 2,
  Gi: 1024 ** 3,
  Ti: 1024 ** 4,
};

/** "250m" → 0.25, "2Gi" → 2147483648; undefined for what cannot be read. */
export function parseQuantity(text: unknown): number | undefined {
  if (typeof text === 'number') return text;
  const match = typeof text === 'string' ? /^([0-9.]+)([A-Za-z]*)$/.exec(text) : null;
  const factor = match ? SUFFIXES[match[2] ?? ''] : undefined;
  return match && factor !== undefined ? Number(match[1]) * factor : undefined;
}

/** 3 → 3, "25%" of 10 → 2.5 rounded as asked. */
export function scaledValue(value: unknown, total: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return value;
  const percent = typeof value === 'string' ? /^(\d+)%$/.exec(value)?.[1] : undefined;
  if (percent === undefined) return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : 0;
  const exact = (Number(percent) * total) / 100;
  return round === 'up' ? Math.ceil(exact) : Math.floor(exact);
}

/** As the API server writes an amount: 1 → "1", "0.5" → "500m", "1024Mi" → "1Gi". What it cannot read stays. */
export function canonicalQuantity(value: unknown): unknown {
  const text = typeof value === 'number' ? String(value) : value;
  const match = typeof text === 'string' ? /^(\d+)(?:\.(\d+))?([A-Za-z]*)$/.exec(text) : null;
  if (!match) return value;
  const [, whole = '', fraction, suffix = ''] = match;
  if (fraction !== undefined) return suffix === '' ? `${Math.ceil(Number(`${whole}.${fraction}`) * 1000)}m`.replace(/000m$/, '') : text;
  const [units, step] = suffix.endsWith('i') ? [['Ki', 'Mi', 'Gi', 'Ti'], 1024] : [['m', '', 'k', 'M', 'G', 'T'], 1000];
  let [amount, index] = [Number(whole), units.indexOf(suffix)];
  if (index < 0) return text;
  while (amount > 0 && amount % step === 0 && index < units.length - 1) {
    amount /= step;
    index += 1;
  }
  return `${amount}${units[index]}`;
}

/** Kubernetes' quantities as numbers: what resources, limits and usage are written in (kubernetes.io: "Quantity"). */

const SUFFIXES: Record<string, number> = {
  '': 1,
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** An exponent or a suffix, never both: "1E" is a suffix, "1E3" an exponent. */
const SHAPE = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d+)|([a-zA-Z]*))$/;

/** "500m", "1.5Gi", "2e3"; undefined for what is none. */
export function parseQuantity(text: string | number | undefined): number | undefined {
  if (typeof text === 'number') return text;
  const [, amount, exponent = '', suffix = ''] = SHAPE.exec(text ?? '') ?? [];
  const factor = SUFFIXES[suffix];
  return amount === undefined || factor === undefined ? undefined : Number(`${amount}${exponent}`) * factor;
}

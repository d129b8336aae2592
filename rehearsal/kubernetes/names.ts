/** Names as the API server and the Deployment controller make them: no vowels, no digits that look like letters. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** Five characters, different for each number. */
export function nameSuffix(seed: number): string {
  // An odd factor modulo 27^5 maps different seeds to different, scattered suffixes.
  let rest = (seed * 8_388_593 + 4_999_999) % 27 ** 5;
  let suffix = '';
  for (let index = 0; index < 5; index += 1) {
    suffix += ALPHABET[rest % 27];
    rest = Math.floor(rest / 27);
  }
  return suffix;
}

/** A short hash of a text, safe in names and label values: pod-template-hash, controller-revision-hash. */
export function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return String(hash).replace(/\d/g, (digit) => ALPHABET[Number(digit)] ?? '');
}

/** A name that is not taken: a loaded cluster may have the first one. */
export function freeName(prefix: string, seed: number, isTaken: (name: string) => boolean): string {
  const name = prefix + nameSuffix(seed);
  return isTaken(name) ? freeName(prefix, seed + 1, isTaken) : name;
}

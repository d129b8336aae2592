/** Idempotency tokens: the same over activity attempts, new after people chose Retry (ARCHITECTURE: "Ids"). */

export interface TokenParts {
  /** First execution run id of the parent. */
  firstRunId: string;
  step: string;
  operation: string;
  resource: string;
  /** Counts the human retries of the step. */
  round: number;
}

/** `belay-` and 32 hexadecimal digits: FNV-1a, 128 bits. Told apart, not kept secret, so no cryptographic hash is needed (the sandbox has none). */
export function idempotencyToken(parts: TokenParts): string {
  return `belay-${fnv1a128([parts.firstRunId, parts.step, parts.operation, parts.resource, String(parts.round)].join('\u0000'))}`;
}

/** FNV-1a with the 128-bit prime and offset basis of the FNV reference (isthe.com/chongo/tech/comp/fnv). */
export function fnv1a128(text: string): string {
  const prime = 0x0000000001000000000000000000013bn;
  const mask = (1n << 128n) - 1n;
  let hash = 0x6c62272e07bb014262b821756295c58dn;
  for (const byte of new TextEncoder().encode(text)) hash = ((hash ^ BigInt(byte)) * prime) & mask;
  return hash.toString(16).padStart(32, '0');
}

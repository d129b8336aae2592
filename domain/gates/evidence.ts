/** What the evidence of a gate comes to, so that gates of several runs can be compared. */

/** What evidence comes to, the mildest first. `advice`: recommendations alone. `attention`: something that people have to weigh. */
export const EVIDENCE_VERDICTS = ['clear', 'advice', 'attention', 'unknown'] as const;
export type EvidenceVerdict = (typeof EVIDENCE_VERDICTS)[number];

/** The worst of all. What nobody has judged is unknown, and so is no evidence at all. */
export function verdictOf(evidence: readonly { verdict?: EvidenceVerdict }[]): EvidenceVerdict {
  const worst = evidence.map(({ verdict = 'unknown' }) => EVIDENCE_VERDICTS.indexOf(verdict)).reduce((a, b) => Math.max(a, b), -1);
  return EVIDENCE_VERDICTS[worst] ?? 'unknown';
}

/** What a status says of an open gate beside what everybody is shown. */
export interface GateTerms {
  verdict: EvidenceVerdict;
  /** `approvers 1`, or of each rule: `platform 2, owners 1`. */
  rules: string;
  /** Approving wants a reason. */
  needsReason?: true;
}

/** Who keeps an object as it is declared elsewhere, in words. */
import type { Marks } from './facts.ts';

/** By their own names. Helm is none of them: it looks at an object only in its next upgrade. */
export const KEEPERS: Record<Exclude<Marks, 'helm'>, string> = { flux: 'Flux', argocd: 'Argo CD', terraform: 'Terraform' };

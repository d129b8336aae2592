/** Who keeps an object as it is declared elsewhere, in words. */
import type { Deliverer } from './facts.ts';

export type Keeper = Exclude<Deliverer, 'helm'>;

/** By their own names. Helm is none of them: it looks at an object only in its next upgrade. */
export const KEEPERS: Record<Keeper, string> = { flux: 'Flux', argocd: 'Argo CD', terraform: 'Terraform' };

/** Of those who deliver an object, who would put a change of it back. */
export function keeper(by: Deliverer | undefined): Keeper | undefined {
  return by === 'helm' ? undefined : by;
}

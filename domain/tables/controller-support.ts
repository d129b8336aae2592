/**
 * Up to which Kubernetes minor each minor of widely used controllers is supported or tested by its makers. Read in November 2026: cert-manager's releases
 * page (website repository, August 2026), KEDA's table of tested versions (docs of 2.20, which has none for 2.20 yet), Kyverno's compatibility matrix
 * (website repository, 1.19 by endoflife.date), and docs/operator-manual/tested-kubernetes-versions.md of Argo CD's newest tags up to 3.5.
 */
import { type ComponentVersion, compareMinors, formatMinor, parseComponentVersion } from '../core/component-version.ts';
import { compareKubernetesVersions, type KubernetesVersion, parseKubernetesVersion } from '../core/version.ts';
import type { Support } from './karpenter.ts';

export interface Controller {
  name: string;
  /** Of its container, from whichever registry. */
  image: RegExp;
  /** Its minors, newest first, each with the newest Kubernetes minor. */
  upTo: readonly (readonly [minor: string, kubernetes: string])[];
}

const named = (path: string): RegExp => new RegExp(`(?:^|/)${path}(?:[:@]|$)`);

export const CONTROLLERS: readonly Controller[] = [
  {
    name: 'cert-manager',
    image: named('cert-manager-controller'),
    upTo: [
      ['1.21', '1.36'],
      ['1.20', '1.35'],
      ['1.19', '1.35'],
      ['1.18', '1.33'],
      ['1.17', '1.33'],
      ['1.16', '1.32'],
      ['1.15', '1.32'],
      ['1.14', '1.31'],
      ['1.13', '1.27'],
      ['1.12', '1.32'],
    ],
  },
  {
    name: 'KEDA',
    image: named('kedacore/keda'),
    upTo: [
      ['2.19', '1.34'],
      ['2.18', '1.33'],
      ['2.17', '1.32'],
      ['2.16', '1.31'],
      ['2.15', '1.30'],
      ['2.14', '1.29'],
      ['2.13', '1.29'],
      ['2.12', '1.28'],
    ],
  },
  {
    name: 'Kyverno',
    image: named('kyverno/kyverno'),
    upTo: [
      ['1.19', '1.35'],
      ['1.18', '1.35'],
      ['1.17', '1.35'],
      ['1.16', '1.34'],
      ['1.15', '1.33'],
      ['1.14', '1.32'],
      ['1.13', '1.31'],
      ['1.12', '1.29'],
      ['1.11', '1.28'],
    ],
  },
  {
    name: 'Argo CD',
    image: named('argoproj/argocd'),
    upTo: [
      ['3.5', '1.36'],
      ['3.4', '1.35'],
      ['3.3', '1.35'],
      ['3.2', '1.34'],
      ['3.1', '1.34'],
      ['3.0', '1.32'],
      ['2.14', '1.31'],
      ['2.13', '1.30'],
      ['2.12', '1.29'],
      ['2.11', '1.29'],
      ['2.10', '1.28'],
    ],
  },
];

/** "1.33": the newest Kubernetes minor of this version. undefined: its makers do not list it. */
export const newestMinorOf = ({ upTo }: Controller, version: ComponentVersion): string | undefined =>
  upTo.find(([each]) => each === formatMinor(version))?.[1];

/** Does this version support that minor, or was it tested with it? What is newer than the table is taken for no worse than the newest in it. */
export function controllerSupport(controller: Controller, version: ComponentVersion, minor: KubernetesVersion): Support {
  const reaches = (kubernetes: string): boolean => compareKubernetesVersions(parseKubernetesVersion(kubernetes), minor) >= 0;
  const own = newestMinorOf(controller, version);
  if (own !== undefined) return reaches(own) ? 'supported' : 'unsupported';
  const [newest] = controller.upTo;
  if (newest === undefined || compareMinors(version, parseComponentVersion(newest[0])) < 0) return 'unsupported';
  return reaches(newest[1]) ? 'supported' : 'unknown';
}

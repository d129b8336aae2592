/** docs/inside/kubernetes-twin.md: how the Kubernetes stand-in is held to the real thing, and where it differs on purpose. */
import { DIFFERENCES } from '../../test/contract/differences.ts';
import { GENERATED, list, next, page } from './markdown.ts';

export function kubernetesTwinDocument(): string {
  return page(
    "# The twin's Kubernetes",
    GENERATED,
    [
      'For whoever changes the rehearsal, or points a client at it. The twin answers unmodified clients, kubectl included, in the wire format of a real API server. One suite, `test/contract/`, holds both to the same answers over HTTPS, through the JavaScript client and kubectl. The answers of real control planes of two minors are in `test/contract/answers/`, without times, uids, versions and random suffixes.',
      list([
        '`npm run test:processes -- test/contract` compares the twin with them, as both minors.',
        '`npm run test:contract` compares real control planes: etcd, kube-apiserver, and for controllers kube-controller-manager and kube-scheduler; the test plays nodes and kubelets. What is missing is built once.',
        '`BELAY_CONTRACT_RECORD=1 npm run test:contract` records answers. `BELAY_CONTRACT_MINORS=1.34` leaves out the other minor, `BELAY_CONTRACT_LOGS=1` shows server logs.',
      ]),
      'Write a new case, record it, then make the twin agree. Any difference fails except these, each with its reason:',
    ],
    list(DIFFERENCES.map(({ what, why }) => `${what} *${why}*`)),
    next('Contributing', '../../CONTRIBUTING.md'),
  );
}

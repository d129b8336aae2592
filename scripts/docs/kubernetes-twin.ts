/** docs/kubernetes-twin.md: how the Kubernetes stand-in is held to the real thing, and where it differs on purpose. */
import { DIFFERENCES } from '../../test/contract/differences.ts';
import { GENERATED, page, table } from './markdown.ts';

export function kubernetesTwinDocument(): string {
  return page(
    "# The twin's Kubernetes",
    GENERATED,
    [
      'The rehearsal answers unmodified clients, kubectl among them, in the wire format of a real API server. One suite, `test/contract/`, holds both to the same answers: its cases talk over HTTPS, through the JavaScript client and through kubectl; what real control planes of two minors answered is recorded in `test/contract/answers/`, without times, uids, versions and random suffixes.',
      [
        '- `npm run test:processes -- test/contract` compares the stand-in with the recorded answers, as both minors.',
        '- `npm run test:contract` compares real control planes with them: etcd and kube-apiserver, and for what controllers do also kube-controller-manager and kube-scheduler; nodes and kubelets are played by the test. What is missing is built once.',
        '- `BELAY_CONTRACT_RECORD=1 npm run test:contract` records what they answer. `BELAY_CONTRACT_MINORS=1.34` leaves the other minor out, `BELAY_CONTRACT_LOGS=1` shows what the servers say.',
      ].join('\n'),
      'A new case is written, recorded, and then the stand-in is made to agree. Any difference fails but these:',
    ],
    table(
      ['The stand-in', 'Because'],
      DIFFERENCES.map(({ what, why }) => [what, why]),
    ),
  );
}

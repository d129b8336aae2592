/** Real API servers are held to the recorded answers, so that these stay true. */
import { API_AREAS } from '../cases/index.ts';
import { contract } from '../suite.ts';
import { startControlPlane } from './control-plane.ts';

for (const minor of (process.env['BELAY_CONTRACT_MINORS']?.split(',') ?? ['1.34', '1.33']) as ('1.34' | '1.33')[])
  contract(`kube-apiserver ${minor}`, API_AREAS, () => startControlPlane(minor), true);

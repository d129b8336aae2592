/** Real API servers are held to the recorded answers, so that these stay true. */
import { API_AREAS } from '../cases/index.ts';
import { contract } from '../suite.ts';
import { MINORS, startControlPlane } from './control-plane.ts';

for (const minor of MINORS) contract(`kube-apiserver ${minor}`, API_AREAS, () => startControlPlane(minor), true);

/** One role reads, another one changes: neither may do what the other is for, and Belay's own credentials may do nothing but assume them. */
import type { Scenario } from './scenario.ts';
import { buildSmall, small } from './small.ts';

const ACCOUNT = '111122223333';

export const twoRoles: Scenario = {
  ...small,
  name: 'two-roles',
  title: 'A role that reads and one that changes, 1.31 → 1.32',
  description: 'Belay reads by one IAM role and changes by another one, whose sessions carry the run that its gates have let go on.',
  cluster: { name: 'two-roles', account: ACCOUNT, region: 'eu-central-1' },
  settings: {
    role: `arn:aws:iam::${ACCOUNT}:role/belay-read`,
    writeRole: `arn:aws:iam::${ACCOUNT}:role/belay-write`,
    sessionTags: true,
  },
  build: (world) => buildSmall(world, '1.2.1'),
};

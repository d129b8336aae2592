/** Which workflows belong to which cluster, by their ids: names of clusters may begin alike. */
import { expect, test } from 'vitest';
import { isBelow, isOf } from '../../../../rehearsal/play/stage/names.ts';

const DEV_1 = { name: 'dev-1', account: '111122223333', region: 'eu-central-1' };
const RUN = 'eks-upgrade/111122223333/eu-central-1';

test.each([
  ['its run', `${RUN}/dev-1`, true],
  ['a step of it', `${RUN}/dev-1/control-plane@1.32`, true],
  ['one whose name goes on', `${RUN}/dev-10`, false],
  ['one of the same name in another account', 'eks-upgrade/444455556666/eu-central-1/dev-1', false],
  ['its rollback clock', 'eks-rollback-window/111122223333/eu-central-1/dev-1', false],
  ['nothing', '', false],
])('%s', (_name, workflowId, expected) => {
  expect(isOf(DEV_1, workflowId)).toBe(expected);
  expect(isBelow(workflowId, `${RUN}/dev-1`)).toBe(expected);
});

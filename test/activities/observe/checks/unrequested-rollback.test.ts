/** A control plane that goes back while an upgrade runs: seen by what EKS lists, and by where it is. */
import { expect, test } from 'vitest';
import { checkStaysUp } from '../../../../activities/observe/checks/control-plane.ts';
import { healthyFacts } from '../../../support/facts.ts';
import { unread } from '../../../support/unread.ts';

const at = (version: string) => ({ controlPlane: { ...healthyFacts().controlPlane, version } });

test.each([
  { what: 'nothing runs', change: at('1.33'), is: { status: 'pass' } },
  {
    what: 'a rollback runs',
    change: { ...at('1.33'), updateInProgress: { id: 'u-7', type: 'VersionRollback', version: '1.32' } },
    is: { status: 'fail', message: 'EKS is rolling the control plane back to 1.32 (update u-7); this run did not request it.' },
  },
  {
    what: 'it is back already',
    change: at('1.32'),
    is: { status: 'fail', message: 'The control plane is back at 1.32; this run did not request it.' },
  },
  {
    what: 'another update runs',
    change: { ...at('1.33'), updateInProgress: { id: 'u-8', type: 'LoggingUpdate' } },
    is: { status: 'pass' },
  },
  {
    what: 'updates cannot be seen',
    change: { ...at('1.33'), unknowns: [unread('the updates in progress')] },
    is: { status: 'unknown', message: 'Running updates cannot be seen: access denied.' },
  },
])('$what: $is.status', ({ change, is }) => {
  expect(checkStaysUp(healthyFacts(change), '1.33')).toMatchObject({ code: 'EKS105', severity: 'required', ...is });
});

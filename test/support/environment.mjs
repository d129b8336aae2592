/** Jest's Node environment in which tests and hooks have as much more time as all else that waits (`PATIENCE` of eventually.ts). */
import { TestEnvironment } from 'jest-environment-node';

const patience = Number(process.env.BELAY_TEST_PATIENCE ?? 1);

export default class extends TestEnvironment {
  async handleTestEvent(event, state) {
    if (event.name === 'test_start') event.test.timeout = (event.test.timeout ?? state.testTimeout) * patience;
    if (event.name === 'hook_start' && !event.hook.patient) {
      event.hook.timeout = (event.hook.timeout ?? state.testTimeout) * patience;
      event.hook.patient = true;
    }
  }
}

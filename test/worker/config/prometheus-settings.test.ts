/** What asking Prometheus takes: a token comes from the environment, and one that is missing is said before anything is asked. */
import { afterEach, expect, test } from 'vitest';
import { parseConfig } from '../../../worker/config/config.ts';
import { settingsOf } from '../../../worker/config/settings.ts';

const CONFIG = parseConfig(
  `
clusters:
  prod:
    region: eu-west-1
    account: "111122223333"
    prometheus:
      url: http://mimir:9009/prometheus
      headers: { X-Scope-OrgID: team-a }
      bearerTokenFrom: SOME_TOKEN_OF_A_TEST
      matchers: ['cluster="prod"']
      alertmanager: { url: 'http://mimir:9009/alertmanager', bearerTokenFrom: SOME_TOKEN_OF_A_TEST }
`,
  'belay.yaml',
);

afterEach(() => {
  delete process.env['SOME_TOKEN_OF_A_TEST'];
});

test('the token is read from the variable that belay.yaml names', () => {
  process.env['SOME_TOKEN_OF_A_TEST'] = 'secret';
  expect(settingsOf(CONFIG, 'prod').prometheus).toEqual({
    url: 'http://mimir:9009/prometheus',
    headers: { 'X-Scope-OrgID': 'team-a' },
    bearerToken: 'secret',
    matchers: ['cluster="prod"'],
    alertmanager: { url: 'http://mimir:9009/alertmanager', bearerToken: 'secret' },
  });
});

test('a variable that is not set is named', () => {
  expect(() => settingsOf(CONFIG, 'prod')).toThrow(
    'prometheus.bearerTokenFrom names SOME_TOKEN_OF_A_TEST, which is not set in this environment; set it to a bearer token',
  );
});

/** A proxy's password is in what an older Node says of a proxy that refuses, and in nothing that a command prints. */
import { expect, test } from 'vitest';
import { CliError, renderError } from '../../../cli/shared/errors.ts';
import { clusterProblem } from '../../../cli/messages/without-file.ts';
import { credentialProblem } from '../../../worker/local/without-file/account.ts';

/** As Node says it that does not have the fix of CVE-2026-48615: establishTunnel() in lib/https.js. */
const REFUSED = `Failed to establish tunnel to portal.sso.eu-west-1.amazonaws.com:443 via http://svc:S3cret@proxy:3128: HTTP/1.1 407 Proxy Authentication Required`;

test.each([
  ['the error itself', new Error(REFUSED)],
  ['a sentence that quotes it', new CliError(`This shell has no AWS credentials (${REFUSED}).`)],
  ['a password in two halves, with a control character between', new Error(REFUSED.replace('S3', 'S3\u0007'))],
])('%s is printed without the password, also with its stack', (_what, error) => {
  for (const debug of [false, true]) {
    const text = renderError(error, debug);
    expect(text).toContain(' via http://[redacted]@proxy:3128: HTTP/1.1 407 ');
    expect(text).not.toContain('cret');
  }
});

test.each([
  ['whole', REFUSED],
  ['cut off within the password', `${'x'.repeat(200 - 'http://svc:S3cre'.length)}http://svc:S3cret@proxy:3128`],
])('why there are no credentials is said without the password: %s', (_what, message) => {
  const problem = credentialProblem(Object.assign(new Error(message), { name: 'CredentialsProviderError' }), {})?.problem;
  const text = problem === undefined ? '' : clusterProblem(problem);
  expect(text).toContain('There are no AWS credentials (');
  expect(text).not.toContain('S3cre');
});

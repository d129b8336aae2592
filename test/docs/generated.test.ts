/** Generated documents say what the code says; the fix for a failure here is `npm run docs`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { generatedDocuments } from '../../scripts/docs/documents.ts';
import { ENVIRONMENT } from '../../scripts/docs/environment.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const documents = await generatedDocuments();

describe('committed documents equal the generated ones (else run: npm run docs)', () => {
  test.each(documents.filter(({ path }) => !path.endsWith('.json')).map(({ path, text }) => [path, text] as const))('%s', (path, text) => {
    expect(readFileSync(join(root, path), 'utf8')).toBe(text);
  });

  test.each(documents.filter(({ path }) => path.endsWith('.json')).map(({ path, text }) => [path, text] as const))('%s', (path, text) => {
    expect(JSON.parse(readFileSync(join(root, path), 'utf8'))).toEqual(JSON.parse(text));
  });
});

test('every environment variable that Belay reads by name is in docs/reference/configuration.md', () => {
  const described = ENVIRONMENT.map(({ name }) => name).join(' ');
  // Of the machine, not of Belay.
  const general = ['HOME', 'PATH', 'USER', 'XDG_CACHE_HOME', 'AWS_DEFAULT_REGION'];
  // Of the pod: set by Kubernetes and EKS.
  general.push('KUBERNETES_SERVICE_HOST', 'KUBERNETES_SERVICE_PORT_HTTPS');
  general.push('AWS_WEB_IDENTITY_TOKEN_FILE', 'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE');
  const read = ['activities', 'cli', 'client', 'rehearsal', 'render', 'slack', 'worker'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) =>
        [...readFileSync(join(root, folder, name), 'utf8').matchAll(/env\['([A-Z_]+)'\]/g)].map(([, variable]) => variable ?? ''),
      ),
  );
  expect(read).toContain('SLACK_BOT_TOKEN');
  expect([...new Set(read)].filter((name) => !general.includes(name) && !described.includes(`\`${name}\``))).toEqual([]);
});

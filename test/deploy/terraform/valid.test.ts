/** deploy/terraform by the real Terraform: its own check, with the schemas of the providers that the modules name. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, vi, test } from 'vitest';
import { serveProviders } from './provider.ts';
import { describeWithTerraform, inCopyOf, terraform } from './run.ts';

vi.setConfig({ testTimeout: 240_000 });

describeWithTerraform('deploy/terraform', () => {
  let providers: Awaited<ReturnType<typeof serveProviders>>;
  beforeAll(async () => {
    providers = await serveProviders();
  });
  afterAll(() => providers.close());

  test.each(['hub', 'account', 'kubernetes'])('%s is valid', async (module) => {
    const said = await inCopyOf(module, (folder) => terraform(['validate', '-no-color'], folder, providers.reattach));
    expect(said).toEqual({ code: 0, text: expect.stringContaining('The configuration is valid.') });
  });

  test.each([
    [
      'an argument that the provider does not know',
      'kubernetes_groups = ',
      'kubernetes_group = ',
      'An argument named "kubernetes_group" is not expected here.',
    ],
    ['a name that nothing has', 'local.names[', 'local.name[', 'Reference to undeclared local value'],
    [
      'a value of another type',
      '["belay-${each.value.access}"]',
      '{ a = 1, b = [2] }',
      'Inappropriate value for attribute "kubernetes_groups"',
    ],
  ])('%s is refused: the check bites', async (_, right, wrong, words) => {
    const { code, text } = await inCopyOf('account', (folder) => {
      const path = join(folder, 'main.tf');
      const changed = readFileSync(path, 'utf8').replace(right, wrong);
      expect(changed).toContain(wrong);
      writeFileSync(path, changed);
      return terraform(['validate', '-no-color'], folder, providers.reattach);
    });
    expect([code, text.replaceAll(/\s+/g, ' ')]).toEqual([1, expect.stringContaining(words)]);
  });

  test('all of it is written as terraform fmt has it', async () => {
    const said = await inCopyOf('.', (folder) => terraform(['fmt', '-check', '-recursive', '-diff'], folder, providers.reattach));
    expect(said).toEqual({ code: 0, text: '' });
  });
});

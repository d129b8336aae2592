/** The real Terraform (or OpenTofu) over a module of deploy/terraform: its own check, and what it makes of variables, without AWS. */
import { describe } from 'vitest';
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { root } from '../files.ts';

const TERRAFORM = ['terraform', 'tofu'].find((program) => spawnSync(program, ['version']).status === 0);

/** Skipped where there is neither, under CI too: no package of a distribution brings one. */
export const describeWithTerraform = TERRAFORM === undefined ? describe.skip : describe;

export interface Made {
  address: string;
  values: Record<string, unknown>;
}

/** Its exit code, and all that it wrote. */
export function terraform(args: readonly string[], folder: string, reattach: string): Promise<{ code: number | null; text: string }> {
  const env = {
    ...process.env,
    TF_REATTACH_PROVIDERS: reattach,
    CHECKPOINT_DISABLE: '1',
    TF_CLI_CONFIG_FILE: '/dev/null',
    TF_IN_AUTOMATION: '1',
    TF_DATA_DIR: join(folder, '.terraform'),
  };
  return new Promise((resolve, reject) => {
    const child = spawn(TERRAFORM ?? 'terraform', args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, text }));
  });
}

/** A copy of a module, for as long as `use` runs. */
export async function inCopyOf<T>(module: string, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'belay-terraform-'));
  try {
    cpSync(join(root, 'deploy/terraform', module), folder, { recursive: true });
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const event = z.looseObject({
  type: z.string(),
  test_state: z
    .looseObject({
      root_module: z.looseObject({ resources: z.array(z.looseObject({ address: z.string(), values: z.record(z.string(), z.unknown()) })) }),
    })
    .optional(),
  diagnostic: z.looseObject({ summary: z.string(), detail: z.string() }).optional(),
});

/** What the module makes by Terraform's own mocks, or what Terraform says against it. */
export function made(
  module: string,
  variables: Record<string, unknown>,
  reattach: string,
  partition = 'aws',
): Promise<{ resources: Made[]; refused: string[] }> {
  return inCopyOf(module, async (folder) => {
    const provider = module === 'kubernetes' ? 'kubernetes' : 'aws';
    const mocks = `
      mock_data "aws_partition" { defaults = { partition = "${partition}" } }
      mock_resource "aws_iam_role" { defaults = { arn = "arn:${partition}:iam::123456789012:role/made" } }`.replaceAll(
      /\{ (defaults.*) \}$/gm,
      '{\n$1\n}',
    );
    writeFileSync(join(folder, 'terraform.tfvars.json'), JSON.stringify(variables));
    writeFileSync(join(folder, 'made.tftest.hcl'), `mock_provider "${provider}" {${provider === 'aws' ? mocks : ''}\n}\nrun "made" {}\n`);
    const { text } = await terraform(['test', '-json', '-verbose'], folder, reattach);
    const events = text.split('\n').flatMap((line) => (line.startsWith('{') ? [event.parse(JSON.parse(line))] : []));
    return {
      resources: events.flatMap(({ test_state: state }) => state?.root_module.resources ?? []),
      refused: events.flatMap(({ diagnostic }) => (diagnostic === undefined ? [] : [`${diagnostic.summary}: ${diagnostic.detail}`])),
    };
  });
}

/** Amazon's images: the parameters of aliases, and what names say. */
import { expect, test } from 'vitest';
import { aliasOfRelease, imageParameter, minorOfImage, readImageName, releaseParameter } from '../../../domain/facts/ami-names.ts';

test.each([
  ['al2023@latest', 'arm64', '/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/arm64/standard/recommended/image_id'],
  [
    'al2023@v20251016',
    'x86_64',
    '/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/x86_64/standard/amazon-eks-node-al2023-x86_64-standard-1.33-v20251016/image_id',
  ],
  ['al2@latest', 'x86_64', '/aws/service/eks/optimized-ami/1.33/amazon-linux-2/recommended/image_id'],
  ['al2@v20250519', 'arm64', '/aws/service/eks/optimized-ami/1.33/amazon-linux-2-arm64/amazon-eks-arm64-node-1.33-v20250519/image_id'],
  ['bottlerocket@v1.20.4', 'arm64', '/aws/service/bottlerocket/aws-k8s-1.33/arm64/1.20.4/image_id'],
  ['bottlerocket@latest', 'x86_64', '/aws/service/bottlerocket/aws-k8s-1.33/x86_64/latest/image_id'],
  ['windows2022@latest', 'x86_64', '/aws/service/ami-windows-latest/Windows_Server-2022-English-Core-EKS_Optimized-1.33/image_id'],
  ['windows2022@latest', 'arm64', undefined],
  ['ubuntu@latest', 'x86_64', undefined],
  ['nothing', 'x86_64', undefined],
] as const)('%s on %s is looked up under %s', (alias, arch, name) => {
  expect(imageParameter(alias, '1.33', arch)).toBe(name);
});

test.each([
  ['amazon-eks-node-al2023-x86_64-standard-1.33-v20251016', { family: 'al2023', minor: '1.33', arch: 'x86_64', release: 'v20251016' }],
  ['amazon-eks-node-1.32-v20250519', { family: 'al2', minor: '1.32', arch: 'x86_64', release: 'v20250519' }],
  ['amazon-eks-arm64-node-1.32-v20250519', { family: 'al2', minor: '1.32', arch: 'arm64', release: 'v20250519' }],
  ['bottlerocket-aws-k8s-1.33-aarch64-v1.20.4-4f0a078e', { family: 'bottlerocket', minor: '1.33', arch: 'arm64', release: 'v1.20.4' }],
  ['amazon-eks-node-al2023-x86_64-nvidia-1.33-v20251016', undefined],
  ['golden-image-1.33-7', undefined],
])('%s', (name, said) => {
  expect(readImageName(name)).toEqual(said);
});

test('the minor of an image of somebody else is read where its name has one', () => {
  expect(minorOfImage('golden-image-1.33-7')).toBe('1.33');
  expect(minorOfImage('golden-image')).toBeUndefined();
});

test('releases are read from what AWS says is the newest', () => {
  expect(aliasOfRelease('al2023', '1.33.5-20251016')).toBe('al2023@v20251016');
  expect(aliasOfRelease('bottlerocket', '1.20.4-4f0a078e')).toBe('bottlerocket@v1.20.4');
  expect(aliasOfRelease('al2023', 'odd')).toBeUndefined();
  expect(releaseParameter('windows2022', '1.33')).toBeUndefined();
});

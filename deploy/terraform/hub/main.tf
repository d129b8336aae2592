# The worker's own identity: it may do nothing but become the roles that the module ../account makes.

data "aws_partition" "current" {}

locals {
  role_arns = flatten([
    for account in var.accounts : [
      for name in var.role_names : "arn:${data.aws_partition.current.partition}:iam::${account}:role${var.role_path}${name}"
    ]
  ])
  # https://docs.aws.amazon.com/eks/latest/userguide/pod-id-role.html
  pod_identity_trust = var.oidc != null ? null : {
    Effect    = "Allow"
    Principal = { Service = "pods.eks.amazonaws.com" }
    Action    = ["sts:AssumeRole", "sts:TagSession"]
  }
  # https://docs.aws.amazon.com/eks/latest/userguide/associate-service-account-role.html
  irsa_trust = var.oidc == null ? null : {
    Effect    = "Allow"
    Principal = { Federated = var.oidc.provider_arn }
    Action    = ["sts:AssumeRoleWithWebIdentity"]
    Condition = {
      StringEquals = {
        "${var.oidc.issuer}:aud" = "sts.amazonaws.com"
        "${var.oidc.issuer}:sub" = "system:serviceaccount:${var.namespace}:${var.service_account}"
      }
    }
  }
}

resource "aws_iam_role" "worker" {
  name                 = var.name
  path                 = var.role_path
  permissions_boundary = var.permissions_boundary
  tags                 = var.tags

  assume_role_policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [for trust in [local.pod_identity_trust, local.irsa_trust] : trust if trust != null]
  })
}

resource "aws_iam_role_policy" "assume" {
  name = "belay-assume"
  role = aws_iam_role.worker.name

  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      {
        Sid      = "BelayBecomesTheRolesOfClusters"
        Effect   = "Allow"
        Action   = concat(["sts:AssumeRole", "sts:TagSession"], var.source_identity ? ["sts:SetSourceIdentity"] : [])
        Resource = local.role_arns
      }
    ]
  })
}

resource "aws_eks_pod_identity_association" "worker" {
  count = var.pod_identity_cluster == null ? 0 : 1

  cluster_name    = var.pod_identity_cluster
  namespace       = var.namespace
  service_account = var.service_account
  role_arn        = aws_iam_role.worker.arn
  tags            = var.tags
}

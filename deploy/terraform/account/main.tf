# The two roles of one account, which the hub's role becomes, and the access entries by which its clusters know them.
# Apply it with a provider of that account.

data "aws_partition" "current" {}

locals {
  # belay permissions --two-roles prints the read part alone where nothing is changed.
  printed  = jsondecode(var.permissions)
  policies = { for access in ["read", "write"] : access => try(local.printed["belay-${access}"], access == "read" ? local.printed : null) }
  roles    = { for access, policy in local.policies : access => policy if policy != null }
  names    = { read = var.read_role_name, write = var.write_role_name }

  # Of the session tags one says which access is asked for: the read role is for reads alone.
  required = {
    for access in keys(local.roles) : access => merge(
      var.session_tags ? { "aws:RequestTag/belay:access" = access } : {},
      var.external_id == null ? {} : { "sts:ExternalId" = var.external_id },
    )
  }

  entries = {
    for pair in setproduct(keys(var.clusters), keys(local.roles)) : "${pair[0]}/${pair[1]}" => {
      cluster = var.clusters[pair[0]]
      access  = pair[1]
    }
  }
}

resource "aws_iam_role" "belay" {
  for_each = local.roles

  name                 = local.names[each.key]
  path                 = var.role_path
  description          = each.key == "read" ? "Belay: reads clusters" : "Belay: upgrades clusters, once a gate is approved"
  permissions_boundary = var.permissions_boundary
  tags                 = var.tags

  # https://docs.aws.amazon.com/IAM/latest/UserGuide/id_session-tags.html
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = concat(
      [
        {
          Sid       = "TheHubBecomesThisRole"
          Effect    = "Allow"
          Principal = { AWS = var.hub_role_arn }
          Action    = ["sts:AssumeRole"]
          Condition = {
            for operator, keys in {
              StringLike   = { "sts:RoleSessionName" = "belay-*" }
              StringEquals = local.required[each.key]
            } : operator => keys if length(keys) > 0
          }
        },
        # Without a condition: tags of EKS Pod Identity are transitive, and come along as well.
        {
          Sid       = "WithTags"
          Effect    = "Allow"
          Principal = { AWS = var.hub_role_arn }
          Action    = ["sts:TagSession"]
        },
      ],
      [
        for action in var.source_identity ? ["sts:SetSourceIdentity"] : [] : {
          Sid       = "WithTheSourceIdentityThatTheHubHas"
          Effect    = "Allow"
          Principal = { AWS = var.hub_role_arn }
          Action    = [action]
        }
      ],
    )
  })

  lifecycle {
    precondition {
      condition     = strcontains(var.hub_role_arn, "arn:${data.aws_partition.current.partition}:")
      error_message = "hub_role_arn is of another partition than this account: a role cannot be assumed across partitions."
    }
  }
}

resource "aws_iam_role_policy" "belay" {
  for_each = local.roles

  name   = "belay-${each.key}"
  role   = aws_iam_role.belay[each.key].name
  policy = jsonencode(each.value)

  lifecycle {
    # https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
    precondition {
      condition     = length(jsonencode(each.value)) <= 10240
      error_message = "The ${each.key} policy is longer than the 10,240 characters that a role's inline policies may have: print it for fewer clusters, and use the module once for each group of them, with role names of its own."
    }
    precondition {
      condition     = alltrue([for arn in regexall("arn:[a-z-]+:", jsonencode(each.value)) : arn == "arn:${data.aws_partition.current.partition}:"])
      error_message = "The permissions name another partition than this account's: print them from a belay.yaml with these clusters' regions."
    }
  }
}

resource "aws_eks_access_entry" "belay" {
  for_each = local.entries

  cluster_name      = each.value.cluster.name
  region            = each.value.cluster.region
  principal_arn     = aws_iam_role.belay[each.value.access].arn
  type              = "STANDARD"
  kubernetes_groups = ["belay-${each.value.access}"]
  tags              = var.tags
}

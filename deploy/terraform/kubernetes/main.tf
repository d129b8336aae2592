# What one cluster grants the groups belay-read and belay-write: roles, and the admission policies that keep them in bounds.
# Apply it with a provider of that cluster, as an administrator.

locals {
  documents = [for text in split("\n---\n", var.manifest) : yamldecode(text) if can(yamldecode(text).kind)]
  objects   = { for object in local.documents : join("/", compact([object.kind, try(object.metadata.namespace, ""), object.metadata.name])) => object }
}

resource "kubernetes_manifest" "belay" {
  for_each = local.objects
  manifest = each.value
}

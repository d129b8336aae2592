terraform {
  required_version = ">= 1.6"

  required_providers {
    aws = {
      source = "hashicorp/aws"
      # From 6.0 on a resource may name its region.
      version = ">= 6.0"
    }
  }
}

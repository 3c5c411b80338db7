"""The named rulesets, one file each."""

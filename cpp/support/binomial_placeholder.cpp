namespace dugraph {}
